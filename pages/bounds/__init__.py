"""Could this document hurt the parser? Its tags prove that it can not, or it is read flat."""

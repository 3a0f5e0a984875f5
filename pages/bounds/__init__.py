"""Could this document hurt the parser? Its tags prove that it cannot, or it is read without nesting."""

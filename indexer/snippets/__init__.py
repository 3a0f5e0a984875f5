"""What is shown of a page that answers? Its best lines and its title, with the words of the question marked."""

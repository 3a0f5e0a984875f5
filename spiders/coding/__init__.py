"""What did the server send, before it was packed? Content codings, undone within bounds."""

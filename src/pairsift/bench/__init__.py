"""Evidence: what the method does, measured."""

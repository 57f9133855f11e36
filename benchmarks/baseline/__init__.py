"""The obvious way to write it, to compare with."""

"""From a response to what a person reads: one file a format."""

"""Deep research that proves every sentence."""

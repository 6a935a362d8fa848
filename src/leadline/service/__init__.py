"""The HTTP service: routes over `research.Session`; it parses, calls and tells."""

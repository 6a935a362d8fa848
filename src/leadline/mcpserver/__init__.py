"""The MCP server: Leadline as tools and resources of any client that speaks the protocol."""

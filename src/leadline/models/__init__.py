"""Language models over HTTP: four dialects, one client, and what is wrapped round them."""

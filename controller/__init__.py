"""The reference controller: a pure core that decides, a thin shell that talks to the API server."""

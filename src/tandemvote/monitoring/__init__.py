"""Questions about error rates over time and between models."""

"""The HTTP service: the app factory, the API under `/v1`, health and metrics. Pages are the dashboard's."""

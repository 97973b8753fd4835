"""The shapes that travel: events in, verdicts and numbers out. Pydantic only, no other import of ours but
`errors`."""

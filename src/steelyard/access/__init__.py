"""Who may do what: keys, sessions, login links, CSRF, the Host check and security headers."""

"""The commands of a server: serve, invite, lti, people and archive."""

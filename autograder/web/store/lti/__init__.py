"""Keep what is known of LMSs: platforms, their courses and people, and the marks to send."""

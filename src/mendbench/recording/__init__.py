"""What a recording starts and stops: models, real servers, sandbox folders."""

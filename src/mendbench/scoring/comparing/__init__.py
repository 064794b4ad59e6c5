"""Two treatments, or two runs, compared case by case."""

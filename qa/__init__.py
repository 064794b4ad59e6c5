"""What takes longer than a test, or is no test: torture, a release, benchmarks."""

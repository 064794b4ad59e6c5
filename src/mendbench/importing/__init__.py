"""Imports cases: reads exchanges from the traces, cassettes and HAR files of other tools."""

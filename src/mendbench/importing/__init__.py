"""Cases from what happened elsewhere: exchanges read from traces, cassettes and HAR files of other tools."""

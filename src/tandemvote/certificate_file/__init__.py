"""Room 6, its filing cabinet: certificates as files that others can check.

A file is JSON of the published schema ``tandemvote/certificate/2`` (``certificate.schema.json`` in
this folder). Reading one parses text and integers and executes nothing.
"""

"""Text from outside is data: fenced in prompts, and scanned for instructions to its reader.

`scan` says what a text holds, `policy` what of it may pass, `prompt_fence` keeps the rest apart.
"""

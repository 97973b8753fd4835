"""The pages: each a typed object made by one query and shown twice, as HTML and as JSON at the same path + `.json`."""

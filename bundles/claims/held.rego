package lictor.claims

# METADATA
# title: Held
# description: >-
#   Every machine that carries a claim's name is held by it. A claim finds its member by what it wrote down itself; this
#   is how it finds one that it wrote nothing down about, since somebody took the annotations off.
# scope: document
# schemas:
#   - input: schema.claims.held.input
# custom:
#   id: lictor.claims.held
# entrypoint: true
held := {"bucket": "held", "order": [input.object.metadata.name]} if input.object.metadata.labels["banlieue.io/claim"]

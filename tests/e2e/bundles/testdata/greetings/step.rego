# Says a greeting's text on a card and on a sign.
package lictor.greetings

step := {"step": "Greet", "effects": array.concat(_card, array.concat(_sign, array.concat(_mark, _report)))}

_text := input.object.spec.text

_card := [{"type": "create", "object": {
	"apiVersion": "example.com/v1",
	"kind": "Card",
	"metadata": {"name": input.object.metadata.name},
	"spec": {"text": _text},
}}] if {
	is_null(input.related.card)
} else := [{
	"type": "patch",
	"target": {
		"apiVersion": "example.com/v1",
		"kind": "Card",
		"name": input.related.card.metadata.name,
		"uid": input.related.card.metadata.uid,
	},
	"patch": {"spec": {"text": _text}},
}] if {
	input.related.card.spec.text != _text
} else := []

_sign := [] if {
	input.related.sign.data.text == _text
} else := [{"type": "apply", "object": {
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": input.object.metadata.name},
	"data": {"text": _text},
}}]

_mark := [] if {
	input.object.metadata.labels["example.com/greeted"]
} else := [
	{
		"type": "patch",
		"target": {
			"apiVersion": "example.com/v1",
			"kind": "Greeting",
			"name": input.object.metadata.name,
			"uid": input.object.metadata.uid,
		},
		"patch": {"metadata": {"labels": {"example.com/greeted": "yes"}}},
	},
	{"type": "event", "eventType": "Normal", "reason": "Welcomed", "message": "The greeting is new."},
]

_report := [{"type": "status", "status": {"said": _text}}]

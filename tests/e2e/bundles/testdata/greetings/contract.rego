package lictor.greetings.contract

vectors := {"a new greeting": {"decision": "lictor.greetings.step", "input": {
	"now": 1767323045123456789,
	"object": {
		"apiVersion": "example.com/v1",
		"kind": "Greeting",
		"metadata": {"name": "hello", "namespace": "hall", "uid": "1"},
		"spec": {"text": "good morning"},
	},
	"related": {"card": null, "sign": null},
	"views": {},
}}}

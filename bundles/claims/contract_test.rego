package lictor.claims.contract_test

import data.lictor.claims
import data.lictor.claims.contract

test_vectors[name] if {
	some name, vector in contract.vectors
	_answer(vector) == vector.want
}

_answer(vector) := answer if {
	vector.decision == "lictor.claims.step"
	answer := claims.step with input as vector.input
}

_answer(vector) := answer if {
	vector.decision == "lictor.claims.rank"
	answer := claims.rank with input as vector.input
}

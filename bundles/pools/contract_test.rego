package lictor.pools.contract_test

import data.lictor.pools
import data.lictor.pools.contract

test_vectors[name] if {
	some name, vector in contract.vectors
	_answer(vector) == vector.want
}

_answer(vector) := answer if {
	vector.decision == "lictor.pools.plan"
	answer := pools.plan with input as vector.input
}

_answer(vector) := answer if {
	vector.decision == "lictor.pools.rank"
	answer := pools.rank with input as vector.input
}

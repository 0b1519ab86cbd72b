// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
)

// longKills is how many kills make a long run, which LICTOR_FAULTS=long asks for.
const longKills = 200

// TestRandomKills does harm to controllers under load, by dice. The seed decides every choice, not the order in which
// processes and the API server run.
func TestRandomKills(t *testing.T) {
	seed, kills := *seedFlag, *killsFlag
	if os.Getenv("LICTOR_FAULTS") == "long" && kills < longKills {
		kills = longKills
	}
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d, %d kills", seed, kills)
	t.Run("one controller", func(t *testing.T) { storm(t, seed, 1, kills-kills/2) })
	t.Run("two controllers", func(t *testing.T) { storm(t, seed, 2, kills/2) })
}

// storm is one run: load, chaos, calm, judgement, summary.
func storm(t *testing.T, seed uint64, controllers, kills int) {
	began := time.Now()
	s := newSetting(t, simulation{seed: seed, boot: 300 * time.Millisecond, stop: 800 * time.Millisecond, slow: 40, chatter: 30})
	c := &chaos{setting: s, random: rand.New(rand.NewPCG(seed, 0)), faults: map[string]int{}}
	for i := range controllers {
		k := newController(t, s.Cluster, string(rune('A'+i)), controllers > 1)
		c.controllers = append(c.controllers, k)
		k.start()
	}
	s.pool("plain", 4, 8)
	s.pool("addresses", 3, 6, builders.PoolReadiness(banlieue.ReadinessInfrastructureReady), builders.PoolAddresses("10.0.0.1-10.0.0.12"))
	s.filled()
	l := startLoad(s, seed, "plain", "addresses")
	c.rage(kills)
	l.end()
	s.drain()
	counts := oracle.Count(judge(t, s.Cluster, s.recorder))
	t.Logf("seed %d, controllers: %d, kills: %d, %s", seed, controllers, c.killed(), time.Since(began).Round(time.Second))
	t.Log(counts)
	c.report()
	if 2*counts.Released < kills {
		t.Errorf("only %d claims were bound and released in %d kills: the load is no load", counts.Released, kills)
	}
}

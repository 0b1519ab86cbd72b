# METADATA
# title: Instants
# description: Nanoseconds since 1970, as decisions count time, to the text that Kubernetes objects hold.
# custom:
#   id: lictor.lib.instants
package lictor.lib.instants

# METADATA
# title: Second
# description: The same instant without its fraction of a second; Kubernetes times are whole seconds.
# custom:
#   id: lictor.lib.instants.second
second(instant) := instant - (instant % 1000000000)

# METADATA
# title: RFC 3339
# description: An instant as text, UTC, whole seconds, such as 2026-01-02T03:04:05Z. Such texts sort like the instants.
# custom:
#   id: lictor.lib.instants.rfc3339
rfc3339(instant) := time.format(second(instant))

# METADATA
# title: Latest
# description: The last whole second that 64 bits of nanoseconds can name (in the year 2262). Later ones saturate here.
# custom:
#   id: lictor.lib.instants.latest
latest := 9223372036000000000

# METADATA
# title: After
# description: The instant this many seconds after another one, at most `latest`.
# custom:
#   id: lictor.lib.instants.after
after(instant, seconds) := min([instant + (seconds * 1000000000), latest])

# METADATA
# title: Before
# description: The instant this many seconds before another one, at least 1970.
# custom:
#   id: lictor.lib.instants.before
before(instant, seconds) := max([instant - (seconds * 1000000000), 0])

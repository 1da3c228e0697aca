package index

// Names of sections, as in internal/ground/section/FORMAT.md.
const (
	secIDEnds      = "ids.ends"
	secIDBytes     = "ids.bytes"
	secIDHashes    = "ids.hashes"
	secIDOrder     = "ids.order"
	secGroups      = "documents.groups"
	secGroupFirst  = "groups.first"
	secGroupCounts = "groups.counts"
	secMembers     = "groups.members"
	secSets        = "documents.sets"
	secSetFirst    = "sets.first"
	secSetCounts   = "sets.counts"
	secSetMembers  = "sets.members"
	secDigests     = "sets.digests"
	secCodeEnds    = "sets.ends"
	secCoded       = "sets.coded"
	secSignatures  = "sets.signatures"
)

package index

// Names of sections, as in docs/FORMAT.md.
const (
	secCounts       = "counts"
	secIDEnds       = "ids.ends"
	secIDBytes      = "ids.bytes"
	secIDHashes     = "ids.hashes"
	secIDOrder      = "ids.order"
	secFingerprints = "documents.fingerprints"
	secEmpty        = "documents.empty"
	secGroupEnds    = "groups.ends"
	secMembers      = "groups.members"
	secSets         = "documents.sets"
	secSetGroupEnds = "sets.groups.ends"
	secSetMembers   = "sets.members"
	secDigests      = "sets.digests"
	secCodeEnds     = "sets.ends"
	secCoded        = "sets.coded"
	secSignatures   = "sets.signatures"
)

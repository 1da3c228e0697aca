package index

// Names of sections, as in internal/ground/section/FORMAT.md.
const (
	secIDEnds       = "ids.ends"
	secIDBytes      = "ids.bytes"
	secIDHashes     = "ids.hashes"
	secIDOrder      = "ids.order"
	secGroups       = "documents.groups"
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

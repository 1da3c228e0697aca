package objects

// Sizes of parts and pieces in tests.
const TestPart, TestPiece = 64 << 10, 1 << 20

func init() { partBytes, pieceBytes = TestPart, TestPiece }

package service

// A BrowseRequest asks for documents in the order of the collection, from a cursor on.
type BrowseRequest struct {
	Cursor    string   `json:"cursor,omitempty"`
	Limit     int      `json:"limit,omitempty" minimum:"0" maximum:"1000" doc:"the most documents of a page; 0 is 20"`
	Prefix    string   `json:"prefix,omitempty" doc:"only documents whose ids begin with this"`
	Where     []string `json:"where,omitempty" nullable:"false" doc:"conditions on kept fields, such as lang=en"`
	WithTexts bool     `json:"with_texts,omitempty" doc:"documents have their texts"`
}

// A BrowsePage is some documents, and the cursor of the next, which is "" behind the last one.
type BrowsePage struct {
	Documents []Document `json:"documents" nullable:"false"`
	Cursor    string     `json:"cursor,omitempty"`
}

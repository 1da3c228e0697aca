package main

// The paragraphs of the section. Figures in them are those of the tables.
var (
	intro = []string{
		"Two texts are near if the Jaccard similarity of their sets of features is at or above a threshold. This section asks which features to take, and which threshold, if the user names none. One answer is wanted for all languages and lengths, so stop words are kept. All similarities are exact: all pairs of documents are compared.",
		"Recall is the share of the pairs labelled near that are found. A document is printed if it is in a pair that is found. A printed document is clean if all pairs with it that are found are labelled near. Doc-F is the harmonic mean of the recall of pairs and the share of printed documents that are clean. Pairs of equal words do not count unless they are labelled near.",
		"Labels are of four kinds. Labels of people are of records of publications and discs, and of plagiarised texts and programs. Labels by provenance are of versions of one document, chapters in several translations, and clean and recognised text. Synthetic copies are made by the program of every second document: 2, 5 or 10 % of the words changed, dropped or inserted; a sentence added or dropped; 2 % of the characters wrong, as from optical character recognition; or, in sentences in Chinese and Japanese, one character changed. Copies among templates are the same, made of short manual pages in one language: two pages are never near, but many of them share one form.",
	}
	found = []string{
		"Large collections are samples: documents that labels call near stay together.",
	}
	wrong = []string{
		"A pair counts where it fits first. Numbers differ: all words that differ have a digit. Negation differs: all words that differ say no. Short texts: one has up to 10 words. Lengths differ: one has 1.5 times the words of the other, or more. One form: a document of the pair has three wrong partners or more. Part of the other: the larger set has 1.5 times the features of the smaller, and 80 % of its features. Other words: the similarity is less than 0.3.",
	}
)

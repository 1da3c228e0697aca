package judge

import (
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 20, ""},
		{" \n\t\n---\n", 20, ""},
		{"\n\n  The   Tide Mill \nstands", 20, "The Tide Mill"},
		{"# Heading #\ntext", 20, "Heading"},
		{".\\\" Copyright\n'\\\" t\n.TH \"GIT\\-LS\" 1\n", 20, "GIT-LS"},
		{".Dd today\n.Dt SSH 1\n", 20, "SSH"},
		{"\n.TH \"LS\" 1\n\n.SH NAME\n", 20, "LS"},
		{".TH \"THE MILL\" 1 \"2026-11-01\" \"Mills\"\n", 20, "THE MILL"},
		{".TH LS\n", 20, "LS"},
		{"// Copyright 2022 The Authors.\n// See LICENSE.\n\n//go:build unix\n", 40, "go:build unix"},
		{"#!/bin/sh\n# Copyright 2022\n\nset -e\n", 40, "set -e"},
		{"//go:build unix\n// +build unix\n\npackage mill\n", 40, "package mill"},
		{"<?xml version=\"1.0\"?>\n<mill>", 40, "mill"},
		{"Format: https://example.org/copyright-format/1.0/\nUpstream-Name: mill\nSource: here\n", 40, "mill"},
		{"Format: A4\n", 40, "Format: A4"},
		{"#!/bin/sh\n", 40, "bin/sh"},
		{"/*\n * Copyright (c) 2022\n *\n * Licensed under terms\n */\n\n#include <stdio.h>\n", 40, "include <stdio.h"},
		{"/*\n * Copyright 2022 */", 40, "Copyright 2022"},
		{"Copyright 2022 The Authors\n\nRedistribution is permitted.\n", 40, "Copyright 2022 The Authors"},
		{"# Copyright law\n\nIs hard.\n", 40, "Copyright law"},
		{"---\nlayout: page\nTitle: \"The mill\"\n---\n# Mill\n", 20, "The mill"},
		{"---\nlayout: page\n---\ntitle: no field\n", 20, "layout: page"},
		{"---\ntitle:\n---\n", 20, "title:"},
		{"'quoted' text\n.TH", 20, "'quoted' text"},
		{"A title that is too long", 10, "A title t…"},
		{"線を引くための道具と方法", 11, "線を引くた…"},
		{"線を引くための道具と方法", 10, "線を引く…"},
		{"\x1b[31mred\x07 \u202e evil", 40, "�1B[31mred�07 �E2�80�AE evil"},
		{"bad \xff byte", 40, "bad �FF byte"},
		{strings.Repeat("\n", 1<<20) + "late", 20, ""},
	} {
		if got := Title(test.text, test.columns); got != test.want {
			t.Errorf("Title(%.40q, %d) = %q, want %q", test.text, test.columns, got, test.want)
		}
	}
}

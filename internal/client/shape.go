package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// readAnswer reads an answer. The error says what is wrong with text if that is no answer of its type: null, or a member that is missing,
// says nothing of what was found. Members that the type does not have are those of a later server.
func readAnswer(text []byte, to any) error {
	if !json.Valid(text) {
		return errors.New("it is no JSON")
	}
	if err := hasShape(text, reflect.TypeOf(to).Elem()); err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// hasShape returns an error unless text, which is JSON, has all that a type has. What is of another kind is left to package json.
func hasShape(text json.RawMessage, t reflect.Type) (err error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if bytes.Equal(text, []byte("null")) {
		return errors.New("it is null")
	}
	switch t.Kind() {
	case reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(text, &members) != nil {
			return errors.New("it is no object")
		}
		for _, f := range reflect.VisibleFields(t) {
			name, how, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "-" {
				continue
			}
			switch member, ok := members[name]; {
			case ok:
				err = hasShape(member, f.Type)
			case how == "":
				err = errors.New("it is missing")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	case reflect.Slice:
		var elements []json.RawMessage
		if t.Elem().Kind() != reflect.Struct {
			return nil
		}
		if json.Unmarshal(text, &elements) != nil {
			return errors.New("it is no array")
		}
		for i, element := range elements {
			if err := hasShape(element, t.Elem()); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	}
	return nil
}

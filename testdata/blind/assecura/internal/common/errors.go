package common

import (
	"errors"
	"fmt"
)

// ErrorCode was an enum.
type ErrorCode int

const (
	CodeUnknown ErrorCode = iota
	CodeNotFound
	CodeConflict
	CodeInvalid
	CodeTechnical
)

var codeNames = map[ErrorCode]string{
	CodeUnknown: "UNKNOWN", CodeNotFound: "NOT_FOUND", CodeConflict: "CONFLICT", CodeInvalid: "INVALID", CodeTechnical: "TECHNICAL",
}

// String implements fmt.Stringer.
func (c ErrorCode) String() string { return codeNames[c] }

// AssecuraException is the base of all exceptions.
type AssecuraException struct {
	Code    ErrorCode
	Message string
	Cause   error
}

// Error implements error.
func (e *AssecuraException) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause.
func (e *AssecuraException) Unwrap() error { return e.Cause }

// NewNotFoundException makes an exception.
func NewNotFoundException(what, id string) error {
	return &AssecuraException{Code: CodeNotFound, Message: what + " " + id + " not found"}
}

// NewTechnicalException wraps err.
func NewTechnicalException(msg string, err error) error {
	if err == nil {
		return nil
	}
	return &AssecuraException{Code: CodeTechnical, Message: msg, Cause: err}
}

// NewInvalidException makes an exception.
func NewInvalidException(msg string) error {
	return &AssecuraException{Code: CodeInvalid, Message: msg}
}

// NewConflictException makes an exception.
func NewConflictException(msg string) error {
	return &AssecuraException{Code: CodeConflict, Message: msg}
}

// CodeOf returns the code of err.
func CodeOf(err error) ErrorCode {
	var e *AssecuraException
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeUnknown
}

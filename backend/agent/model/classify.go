package model

import (
	"net/http"
	"slices"
	"strings"
)

// cause is what a provider complains about, where the hint depends on it. It is more precise than a Kind.
type cause string

const (
	unknownCause     cause = ""
	noCredit         cause = "credit"
	contentFilter    cause = "content filter"
	wrongRegion      cause = "region"
	unverified       cause = "verification" // of the organisation
	noModel          cause = "model"
	noTools          cause = "tools"
	otherAPI         cause = "responses" // the server offers the model only over the Responses API
	refusedParameter cause = "parameter"
	refusedSchema    cause = "schema"    // of a tool
	refusedForm      cause = "form"      // of the conversation or of the request
	lostReasoning    cause = "reasoning" // the server rejects the reasoning of earlier turns, or misses it
	nativeOllama     cause = "ollama"    // the answer is in Ollama's own protocol
	noTLS            cause = "no TLS"    // the server speaks plain HTTP
)

// evidence classifies errors: those with one of the statuses (any if there are none) that have one of the codes or
// words, or pass the test. Evidence with statuses alone needs nothing more.
type evidence struct {
	statuses []int    // 0 is an error in a stream
	codes    []string // parts of the code, the type or the reasons, in lower case
	words    []string // parts of the message, in lower case
	test     func(c apiError, status int) bool

	kind  Kind
	cause cause
}

func (e evidence) matches(c apiError, status int) bool {
	switch {
	case len(e.statuses) > 0 && !slices.Contains(e.statuses, status):
		return false
	case len(e.codes) == 0 && len(e.words) == 0 && e.test == nil:
		return true
	}
	return containsAny(c.codeWord(), e.codes...) || containsAny(strings.ToLower(c.Message), e.words...) ||
		e.test != nil && e.test(c, status)
}

// classify returns the kind and the cause of an unsuccessful answer, or of an error in a stream (status 0): those of
// the first evidence that matches. What the provider states comes before its status, which many servers choose badly.
func classify(status int, c apiError) (Kind, cause) {
	for _, list := range [][]evidence{accountEvidence(), limitEvidence(), requestEvidence(), statusEvidence()} {
		for _, e := range list {
			if e.matches(c, status) {
				return e.kind, e.cause
			}
		}
	}
	return Overloaded, unknownCause
}

// accountEvidence is about what the provider does not do for this account.
func accountEvidence() []evidence {
	return []evidence{
		{ // the quota comes back
			statuses: []int{0, http.StatusTooManyRequests},
			test:     func(c apiError, _ int) bool { return c.resetTime() != "" },
			kind:     RateLimited,
		},
		{
			codes: []string{"insufficient_quota", "exceeded_current_quota", "arrearage", "billing"},
			words: []string{"insufficient balance", "credit balance"}, // some with 429, but waiting does not help
			kind:  Refused, cause: noCredit,
		},
		{statuses: []int{http.StatusPaymentRequired}, kind: Refused, cause: noCredit},
		{
			codes: []string{"content_filter", "content_policy", "moderation", "responsibleaipolicy", "data_inspection"},
			kind:  Refused, cause: contentFilter,
		},
		{
			statuses: rejections(),
			words:    []string{"content management policy", "content policy", "content exists risk"},
			kind:     Refused, cause: contentFilter,
		},
		{codes: []string{"tool_use_failed"}, kind: Mistaken},
		{test: apiError.isTooLong, kind: TooLong},
		{
			codes: []string{"unsupported_country"}, words: []string{"user location is not supported"},
			kind: Refused, cause: wrongRegion,
		},
		{
			statuses: []int{http.StatusForbidden}, words: []string{"region", "country", "location"},
			kind: Refused, cause: wrongRegion,
		},
		{
			statuses: []int{http.StatusForbidden}, words: []string{"moderation", "flagged"},
			kind: Refused, cause: contentFilter,
		},
	}
}

// limitEvidence is about keys and limits.
func limitEvidence() []evidence {
	return []evidence{
		{statuses: []int{http.StatusUnauthorized, http.StatusForbidden}, kind: Auth},
		{codes: []string{"api_key_invalid"}, kind: Auth},
		{statuses: []int{0}, codes: []string{"authentication", "permission"}, kind: Auth},
		{statuses: []int{http.StatusTooManyRequests}, kind: RateLimited},
		{codes: []string{"rate_limit", "429"}, kind: RateLimited},
	}
}

// requestEvidence is about the request: another one may succeed, the same one never does.
func requestEvidence() []evidence {
	return []evidence{
		// llama.cpp sends these with status 500.
		{
			words: []string{
				"tools param requires", "not support tools", "support tool use", "not support function call",
				"tool choice requires",
			},
			kind: BadRequest, cause: noTools,
		},
		{words: []string{"must alternate"}, kind: BadRequest, cause: refusedForm},
		{words: []string{"parse grammar"}, kind: BadRequest, cause: refusedSchema},
		{statuses: rejections(), words: []string{"must be verified"}, kind: BadRequest, cause: unverified},
		{
			statuses: rejections(), codes: []string{"unsupported_api_for_model"},
			words: []string{
				"v1/responses", "/responses endpoint", "responses api", "not accessible via the /chat/completions",
				"unsupported_api_for_model", "not a chat model",
			},
			kind: BadRequest, cause: otherAPI,
		},
		{
			statuses: rejections(),
			words:    []string{"thought_signature", "thought signature", "reasoning_content", "reasoning_details"},
			test:     func(c apiError, _ int) bool { return isAboutSeal(strings.ToLower(c.Message)) },
			kind:     BadRequest, cause: lostReasoning,
		},
		{
			statuses: rejections(),
			codes:    []string{"unsupported_parameter", "unsupported_value", "unknown_parameter"},
			words: []string{
				"unsupported parameter", "unsupported value", "unknown parameter", "unrecognized request argument",
				"not supported with this model", "extra inputs are not permitted",
			},
			kind: BadRequest, cause: refusedParameter,
		},
		{
			statuses: rejections(),
			test:     func(c apiError, _ int) bool { return isAboutSchema(strings.ToLower(c.Message)) },
			kind:     BadRequest, cause: refusedSchema,
		},
		{
			statuses: rejections(), codes: []string{"model_not_found"},
			words: []string{"no such model", "unknown model", "not a valid model"},
			kind:  BadRequest, cause: noModel,
		},
	}
}

// statusEvidence is for errors that say nothing that is known.
func statusEvidence() []evidence {
	return []evidence{
		{test: func(_ apiError, status int) bool { return isTransient(status) }, kind: Overloaded},
		{statuses: []int{http.StatusNotFound}, kind: BadRequest, cause: noModel},
		{statuses: []int{http.StatusUnprocessableEntity}, kind: BadRequest, cause: refusedForm},
		{test: func(_ apiError, status int) bool { return status != 0 }, kind: BadRequest},
		{codes: []string{"invalid", "not_found"}, kind: BadRequest},
	}
}

// rejections are the statuses with which a server rejects a request.
func rejections() []int {
	return []int{
		0, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity,
	}
}

// isTransient reports whether the same request may succeed later after an answer with this status.
func isTransient(status int) bool {
	const groqCapacity = 498
	return status >= http.StatusInternalServerError || slices.Contains(
		[]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, groqCapacity}, status)
}

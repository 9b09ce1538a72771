package browser

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// Only the protocol reports closed shadow roots: if the host element renders its own children in
// a slot, a script cannot detect the root. Reading the whole tree takes longer than a snapshot,
// reading its HTML a few milliseconds. So the tree is read when the HTML contains more closed
// roots than page.js knows.

// closedRootMarker is Chromium's HTML for a closed root, as JSON. Text of the page cannot contain the marker. A
// template or a script can, but that only costs time.
var closedRootMarker = []byte(`<template shadowrootmode=\"closed\"`)

// injectClosedRoots gives page.js the closed shadow roots that it does not know, and returns
// how many there were.
func (p *page) injectClosedRoots(ctx context.Context) (int, error) {
	for isRetry := false; ; isRetry = true {
		count := 0
		if err := p.callScript(ctx, &count, "countClosedRoots"); err != nil {
			return 0, err
		}
		if opened, err := p.injectNewClosedRoots(ctx, count); isRetry || !isDocumentGone(err) {
			return opened, err
		}
	}
}

// injectNewClosedRoots is injectClosedRoots for a document in which readable roots (a number) were injected before. The
// page may leave the document in the meantime.
func (p *page) injectNewClosedRoots(ctx context.Context, readable int) (opened int, err error) {
	total, err := p.countWrittenRoots(ctx)
	if err != nil {
		return 0, err
	}
	return p.injectMissingRoots(ctx, readable, total)
}

// countWrittenRoots counts the closed shadow roots in the HTML of a page or frame.
func (p *page) countWrittenRoots(ctx context.Context) (count int, err error) {
	ctx, cancel := p.boundAnswers(ctx)
	defer cancel()
	world, _, err := p.scriptContext(ctx)
	if err != nil {
		return 0, err
	}
	err = p.callBounded(ctx, func(c proto.Client) (err error) {
		count, err = p.closedRoots(c, world)
		return err
	})
	return count, err
}

// injectMissingRoots is injectClosedRoots for a document whose HTML contains as many closed roots as total, of which
// as many as readable were injected before.
func (p *page) injectMissingRoots(ctx context.Context, readable, total int) (opened int, err error) {
	if total == 0 {
		return 0, nil
	}
	world, _, err := p.scriptContext(ctx)
	if err != nil {
		return 0, err
	}
	if total <= readable { // a known one may have been removed before the HTML was written
		if err := p.callScript(ctx, &readable, "countClosedRoots"); err != nil || total <= readable {
			return 0, err
		}
	}
	var roots []proto.DOMBackendNodeID
	err = p.callBounded(ctx, func(c proto.Client) (err error) {
		roots, err = p.closedNodes(c, world)
		return err
	})
	for some := range slices.Chunk(roots, 200) {
		if err == nil {
			err = p.callBounded(ctx, func(c proto.Client) error {
				n, err := p.injectRoots(c, world, some)
				opened += n
				return err
			})
		}
	}
	return opened, err
}

// errScriptMissing means that page.js has not run in the document yet.
var errScriptMissing = errors.New("the page's script is missing")

// isDocumentGone reports whether a call failed because the page has left the document.
func isDocumentGone(err error) bool {
	return errors.Is(err, errScriptMissing) || err != nil &&
		(strings.Contains(err.Error(), "Cannot find context") || strings.Contains(err.Error(), "uniqueContextId not found") ||
			strings.Contains(err.Error(), "Could not find object with given id"))
}

// callBounded is page.do with a shorter limit for frames of other sites.
func (p *page) callBounded(ctx context.Context, f func(proto.Client) error) error {
	limit := p.callLimit()
	if p.isRemoteFrame {
		limit = min(limit, p.process.m.limits.remoteFrame)
	}
	return p.do(ctx, limit, "looking into shadow roots", f)
}

// getHTML has fields that rod's type of 2024 lacks.
type getHTML struct {
	ObjectID         proto.RuntimeRemoteObjectID `json:"objectId"`
	IncludeShadowDOM bool                        `json:"includeShadowDOM"`
}

// ProtoReq implements proto.Request.
func (getHTML) ProtoReq() string { return "DOM.getOuterHTML" }

// outerHTML returns the HTML of a document with its shadow roots, as JSON.
func outerHTML(c proto.Client, document proto.RuntimeRemoteObjectID) ([]byte, error) {
	return cdp.CallRaw(c, getHTML{document, true})
}

// frameTags are the beginnings of tags that may contain a document. In XML a tag may have a
// namespace prefix.
var frameTags = []string{"<iframe", "<frame", "<object", ":iframe", ":frame", ":object"}

// closedRoots counts the closed roots in the documents of a page's or frame's process.
func (p *page) closedRoots(c proto.Client, world *script.PageContext) (int, error) {
	document, err := world.OwnDocument(c)
	if err != nil {
		return 0, err
	}
	html, err := outerHTML(c, document)
	if err != nil {
		return 0, err
	}
	count := bytes.Count(html, closedRootMarker)
	if !slices.ContainsFunc(frameTags, func(tag string) bool { return bytes.Contains(html, []byte(tag)) }) {
		return count, nil
	}
	documents, err := listMembers(c, world, "goalpost.listDocuments()")
	if err != nil {
		return 0, err
	}
	if len(documents) == 0 {
		return 0, errScriptMissing
	}
	for _, document := range documents[1:] {
		html, err := outerHTML(c, document)
		p.Post(proto.RuntimeReleaseObject{ObjectID: document})
		if err != nil {
			return 0, err
		}
		count += bytes.Count(html, closedRootMarker)
	}
	return count, nil
}

// maxDOMDepth is the depth of a tree in one answer: Chromium refuses to write more than 300
// levels of JSON, and each element and each root in it takes two.
const maxDOMDepth = 60

// closedNodes finds the closed shadow roots in the whole tree.
func (p *page) closedNodes(c proto.Client, world *script.PageContext) (roots []proto.DOMBackendNodeID, err error) {
	limit := maxDOMDepth
	var rest []proto.DOMBackendNodeID // deeper nodes
	var walk func(nodes ...*proto.DOMNode)
	walk = func(nodes ...*proto.DOMNode) {
		for _, n := range nodes {
			if n == nil {
				continue
			}
			if n.ShadowRootType == proto.DOMShadowRootTypeClosed {
				roots = append(roots, n.BackendNodeID)
			}
			if len(n.Children) == 0 && n.ChildNodeCount != nil && *n.ChildNodeCount > 0 {
				rest = append(rest, n.BackendNodeID)
			}
			walk(n.Children...)
			walk(n.ShadowRoots...)
			walk(n.ContentDocument, n.TemplateContent)
		}
	}
	document, err := world.OwnDocument(c)
	if err != nil {
		return nil, err
	}
	found, err := cdp.Call(c, proto.DOMDescribeNode{ObjectID: document, Depth: &limit, Pierce: true})
	if err != nil {
		return nil, err
	}
	walk(found.Node)
	for len(rest) > 0 {
		found, err := cdp.Call(c, proto.DOMDescribeNode{BackendNodeID: rest[0], Depth: &limit, Pierce: true})
		rest = rest[1:]
		switch {
		case err == nil:
			walk(found.Node.Children...)
		case !isNodeGone(err):
			return nil, err
		}
	}
	return roots, nil
}

// injectRoots gives closed shadow roots to page.js, and returns how many it did not know.
func (p *page) injectRoots(
	c proto.Client, world *script.PageContext, roots []proto.DOMBackendNodeID,
) (int, error) {
	var list []*proto.RuntimeCallArgument
	for _, root := range roots {
		found, err := cdp.Call(c, proto.DOMResolveNode{BackendNodeID: root, ExecutionContextID: world.ID})
		switch {
		case err == nil:
			defer p.Post(proto.RuntimeReleaseObject{ObjectID: found.Object.ObjectID})
			list = append(list, &proto.RuntimeCallArgument{ObjectID: found.Object.ObjectID})
		case !isNodeGone(err):
			return 0, err
		}
	}
	return passObjects(c, "function (...roots) { return roots.filter(goalpost.adoptRoot).length }", list)
}

// passObjects calls a function of page.js with objects of its world, and returns the number that it returns.
func passObjects(c proto.Client, function string, objects []*proto.RuntimeCallArgument) (int, error) {
	if len(objects) == 0 {
		return 0, nil
	}
	took, err := cdp.Call(c, proto.RuntimeCallFunctionOn{
		FunctionDeclaration: function,
		ObjectID:            objects[0].ObjectID,
		Arguments:           objects,
		ReturnByValue:       true,
		Silent:              true,
	})
	switch {
	case err != nil:
		return 0, err
	case took.ExceptionDetails != nil:
		return 0, exceptionError(took.ExceptionDetails)
	}
	return took.Result.Value.Int(), nil
}

// isNodeGone reports that Chromium did not find a node that it named before.
func isNodeGone(err error) bool {
	var fault *cdp.Error
	return errors.As(err, &fault)
}

// injectFieldRoots evaluates take with each shadow root that Chromium created for one of the
// elements that list evaluates to. The root is this.
func (p *page) injectFieldRoots(ctx context.Context, list, take string) error {
	world, _, err := p.scriptContext(ctx)
	if err != nil {
		return err
	}
	return p.do(ctx, p.callLimit(), "looking into fields", func(c proto.Client) error {
		fields, err := listMembers(c, world, list)
		if err != nil {
			return err
		}
		for _, field := range fields {
			node, err := cdp.Call(c, proto.DOMDescribeNode{ObjectID: field})
			if err != nil || node.Node == nil {
				continue
			}
			for _, root := range node.Node.ShadowRoots {
				if root.ShadowRootType == proto.DOMShadowRootTypeUserAgent {
					_ = p.callOnNode(c, root.BackendNodeID, world.ID, take) // it may have been removed
				}
			}
		}
		return nil
	})
}

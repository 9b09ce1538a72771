package browser

import "testing"

// clobberingForm is a form with a field for each property of a form, and pictures with the names of
// properties of a document: each of them hides the property from scripts.
const clobberingForm = `(() => {
	const form = document.createElement('form');
	form.setAttribute('aria-label', 'Order');
	for (let p = HTMLFormElement.prototype; p; p = Object.getPrototypeOf(p))
		for (const name of Object.getOwnPropertyNames(p))
			Element.prototype.append.call(form, Object.assign(document.createElement('input'), {name, type: 'hidden'}));
	const field = Object.assign(document.createElement('input'), {ariaLabel: 'Amount'});
	const button = Object.assign(document.createElement('button'), {type: 'button', textContent: 'Send'});
	button.onclick = () => { button.after('sent ' + field.value); };
	Element.prototype.append.call(form, field, button);
	const body = document.body;
	body.replaceChildren(form);
	for (const name of ['body', 'title', 'activeElement', 'documentElement', 'querySelectorAll', 'elementFromPoint',
		'defaultView', 'getAnimations', 'addEventListener'])
		Element.prototype.append.call(body, Object.assign(document.createElement('img'), {name}));
	return 1;
})()`

// TestForm_FieldsNamedLikeProperties_IsReadAndUsed: a snapshot, a search, typing and a click
// work in a form and a document whose own properties are hidden by elements.
func TestForm_FieldsNamedLikeProperties_IsReadAndUsed(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "two.html")
	b.eval(p, clobberingForm)
	s := b.look(p)
	has(t, s.Text, `form "Order"`, `textbox "Amount"`, `button "Send"`)
	b.act(p.Forms.Type(b.ctx, b.refOf(s, `"Amount"`), "7", false, true))
	has(t, b.act(p.Mouse.Click(b.ctx, "Send")).Changed, `"sent 7"`)
	if again := b.look(p); b.refOf(again, `"Send"`) != b.refOf(s, `"Send"`) {
		t.Errorf("another ref in\n%s", again.Text)
	}
}

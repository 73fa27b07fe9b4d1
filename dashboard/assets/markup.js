// Markup that the server has escaped, after sortable.js: links open pages of the app in place.

function isPlain(event) {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector("#markup")
  if (root.dataset.html !== data.html) {
    root.innerHTML = data.html
    root.dataset.html = data.html
  }
  root.lang = data.lang
  sortable(root)
  root.onclick = (event) => {
    const link = event.target.closest("a[data-page]")
    if (!link || !isPlain(event)) return // with a modifier the browser follows the address by itself
    event.preventDefault()
    const query = Object.fromEntries(new URL(link.href, document.baseURI).searchParams)
    setTriggerValue("visit", { page: link.dataset.page, query })
  }
}

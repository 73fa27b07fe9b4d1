"""Log runs from any training code, and read boards back as tables; `import featherboard` re-exports this."""

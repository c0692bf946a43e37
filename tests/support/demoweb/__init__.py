"""The demo web: a recorded web of our own making, with communities that are known by construction.

`python -m tests.support.demoweb` writes data/demo/. Who is there, and who links to whom, is in `plan/`; the sentences
that people and organisations say are in `words/`. Everything else is chosen by hashes of names, so that the same bytes
come out on every machine.

    people     the sites                        prose      sentences with their gaps filled
    links      who links to whom                shelf      which pages a personal site has
    spellings  how an address is written        personal, organisations, lists, ring: the pages
    chance     choices without chance           styles     the HTML of four eras
    dates      when pages were changed          markup     small pieces of HTML
    words      the tables                       answers, record, truth: what is written to data/demo
"""

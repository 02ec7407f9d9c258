extension Schema {
    static let addRequests = """
        CREATE TABLE request(            -- the network log; the newest 100,000 requests are kept
            request_id INTEGER PRIMARY KEY,  -- counts from 1, in the order in which requests ended
            run_id INTEGER NOT NULL,     -- the run that sent it
            load INTEGER NOT NULL,       -- equal, within a run, for a request and its redirects
            redirects INTEGER NOT NULL,  -- number of redirects that led to it
            started_ms INTEGER NOT NULL, -- time when it was queued
            method TEXT NOT NULL,        -- such as GET
            url TEXT NOT NULL,           -- with the values of its query hidden
            request_headers TEXT NOT NULL,  -- one field per line; values that may be secret are hidden
            request_head_bytes INTEGER,  -- size of the request's head
            status INTEGER,              -- HTTP status; NULL without a response
            response_headers TEXT NOT NULL, -- one field per line; values that may be secret are hidden
            response_head_bytes INTEGER, -- size of the response's head
            bytes INTEGER NOT NULL,      -- size of the response's body
            protocol TEXT NOT NULL,      -- such as HTTP/2; '' if unknown
            peer_ip TEXT NOT NULL,       -- address of the server; '' without a connection
            is_reused INTEGER,           -- 1 if an earlier request had opened the connection
            blocked_us INTEGER,          -- microseconds in the queue
            dns_us INTEGER,              -- microseconds of name lookup
            connect_us INTEGER,          -- microseconds of connecting, including TLS
            tls_us INTEGER,              -- microseconds of the TLS handshake
            wait_us INTEGER NOT NULL,    -- microseconds from the connection to the first byte of the response
            receive_us INTEGER NOT NULL, -- microseconds from the first byte to the last
            error TEXT                   -- reason of a failure
        ) STRICT
        """
}

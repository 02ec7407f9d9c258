extension Schema {
    static let addCounters = """
        CREATE TABLE counter(            -- what the runs of the job have counted since the state was made, for metrics
            name TEXT NOT NULL,          -- such as requests
            host_class TEXT NOT NULL,    -- name of a host, storage or other; '' for a counter without hosts
            detail TEXT NOT NULL,        -- error, result, source, status, cause or bound in seconds; '' for none
            total REAL NOT NULL,         -- number, bytes or seconds
            PRIMARY KEY (name, host_class, detail)
        ) STRICT, WITHOUT ROWID
        """
}

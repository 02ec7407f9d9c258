import CCrypto

/// The settings of libcrypto in this process.
package enum CryptoLibrary {
    /// Keeps libcrypto from freeing its data when the process exits; read it before the first use.
    ///
    /// Threads that end meanwhile, such as that of a transport, free theirs: both at once were a double free
    /// (OPENSSL_init_crypto(3), "OPENSSL_INIT_NO_ATEXIT").
    package static let keepsDataAtExit = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}

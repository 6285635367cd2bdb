using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using System.Security.Cryptography;

namespace HybridCaching.Store;

/// <summary>One keyed 64-bit hash of a key's bytes: the low bits choose the bucket and the row, the top 14 the tag.</summary>
/// <remarks>
/// <para>
/// The mixing step multiplies two 64-bit words to 128 bits and folds the halves, as wyhash and rapidhash do (Wang Yi, "wyhash", 2019); here all constants are
/// secret, chosen at random per store and kept with it, so that nobody who can choose keys can aim them at one bucket.
/// </para>
/// <para>
/// Keys of 8 bytes are hashed in groups of four neighbours that share a bucket; the two low bits go into the tag. Sequential keys thus share cache lines,
/// and no stride can pile up more than four keys by intent.
/// </para>
/// <para>
/// No tag is 0. FASTER takes an entry out of its index by leaving the address of an older record there, below where the log begins, with tag 0; a key with that tag would be looked for there.
/// </para>
/// </remarks>
internal readonly struct KeyHasher
{
    /// <summary>Where FASTER's tag begins.</summary>
    private const int TagShift = 50;

    /// <summary>The shortest text for <see cref="HashNarrowed"/>.</summary>
    public const int FewestNarrowed = sizeof(ulong);

    /// <summary>The longest.</summary>
    public const int MostNarrowed = 4 * sizeof(ulong);

    private const int SecretWords = 4;

    private readonly ulong _secret0;
    private readonly ulong _secret1;
    private readonly ulong _secret2;
    private readonly ulong _secret3;

    /// <param name="secret">Random words, four of them.</param>
    public KeyHasher(ReadOnlySpan<ulong> secret)
    {
        _secret0 = secret[0];
        _secret1 = secret[1] | 1;
        _secret2 = secret[2];
        _secret3 = secret[3] | 1;
    }

    /// <summary>A secret for a new store.</summary>
    public static ulong[] NewSecret()
    {
        var secret = new ulong[SecretWords];
        RandomNumberGenerator.Fill(MemoryMarshal.AsBytes(secret.AsSpan()));
        return secret;
    }

    /// <summary>The hash of a key: that of its bytes, filled up with zeros as <see cref="StoredKey"/> does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Hash<TKey>(in TKey key)
        where TKey : unmanaged
    {
        if (Unsafe.SizeOf<TKey>() % sizeof(ulong) == 0) return Hash(ref Unsafe.As<TKey, ulong>(ref Unsafe.AsRef(in key)), Unsafe.SizeOf<TKey>() / sizeof(ulong));
        var padded = StoredKey.Of<TKey, PaddedKeys.Key256>(in key);
        return Hash(ref Unsafe.As<PaddedKeys.Key256, ulong>(ref padded), StoredKey.SizeOf(Unsafe.SizeOf<TKey>()) / sizeof(ulong));
    }

    /// <summary>The hash of a key of any length, by its bytes, of which the first says what the others are; the length counts too.</summary>
    /// <remarks>The last words may overlap those before, as in wyhash: no byte is looked at alone but in keys of less than 4.</remarks>
    public ulong Hash(ReadOnlySpan<byte> key)
    {
        ref byte start = ref Unsafe.Add(ref MemoryMarshal.GetReference(key), 1);
        nint length = key.Length - 1;
        ulong hash = _secret0;
        ulong end = EndOf(key[0], length);
        if (length >= 2 * sizeof(ulong))
        {
            nint at = 0;
            for (; at < length - (2 * sizeof(ulong)); at += 2 * sizeof(ulong)) hash = Step(hash, Word(ref start, at), Word(ref start, at + sizeof(ulong)));
            return Finish(hash, Word(ref start, length - (2 * sizeof(ulong))), Word(ref start, length - sizeof(ulong)), end);
        }

        if (length >= sizeof(ulong)) return Finish(hash, Word(ref start, 0), Word(ref start, length - sizeof(ulong)), end);
        if (length >= sizeof(uint)) return Finish(hash, ((ulong)Unsafe.ReadUnaligned<uint>(ref start) << 32) | Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref start, length - sizeof(uint))), 0, end);
        ulong rest = 0;
        foreach (byte b in key[1..]) rest = (rest << 8) | b;
        return Finish(hash, rest, 0, end);
    }

    /// <summary>The same for text of 8 to 32 characters, all of them ASCII, by the characters: bytes that were written this moment in other pieces would have to be waited for.</summary>
    /// <param name="text">The characters.</param>
    /// <param name="kind">The first byte of the key.</param>
    public ulong HashNarrowed(ReadOnlySpan<char> text, byte kind)
    {
        ref ushort start = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(text));
        nint length = text.Length;
        ulong hash = _secret0;
        ulong end = EndOf(kind, length);
        if (length < 2 * sizeof(ulong)) return Finish(hash, Narrowed(ref start, 0), Narrowed(ref start, length - sizeof(ulong)), end);
        if (length > 2 * sizeof(ulong)) hash = Step(hash, Narrowed(ref start, 0), Narrowed(ref start, sizeof(ulong)));
        return Finish(hash, Narrowed(ref start, length - (2 * sizeof(ulong))), Narrowed(ref start, length - sizeof(ulong)), end);
    }

    /// <summary>Kind and length come last and alone: next to the words, a longer key could make up for another first character.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong EndOf(byte kind, nint length) => _secret3 ^ ((ulong)kind << 56) ^ ((ulong)length << 1);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Step(ulong hash, ulong first, ulong second) => Mix(first ^ hash ^ _secret1, second ^ _secret2);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Finish(ulong hash, ulong first, ulong second, ulong end) => WithTag(Mix(Step(hash, first, second) ^ _secret0, end));

    /// <summary>A hash whose tag is not 0, whatever its two low bits are.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong WithTag(ulong hash) => hash >> (TagShift + 2) == 0 ? hash | (1UL << (TagShift + 2)) : hash;

    /// <summary>Eight characters as eight bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Narrowed(ref ushort start, nint offset)
    {
        var units = Vector128.LoadUnsafe(ref start, (nuint)offset);
        return Vector128.Narrow(units, units).AsUInt64().ToScalar();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Word(ref byte start, nint offset) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref start, offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Hash(ref ulong words, int count)
    {
        if (count == 1)
        {
            ulong group = Mix(Mix((words >> 2) ^ _secret0, _secret1) ^ _secret2, _secret3);
            return WithTag(group) ^ ((words & 3) << TagShift);
        }

        ulong hash = _secret0;
        for (int i = 0; i + 1 < count; i += 2) hash = Step(hash, Unsafe.Add(ref words, i), Unsafe.Add(ref words, i + 1));
        if ((count & 1) != 0) hash = Step(hash, Unsafe.Add(ref words, count - 1), 0);
        return WithTag(Mix(hash ^ _secret0, _secret3));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Mix(ulong a, ulong b)
    {
        // Two multiplications in registers take less time than one whose low half goes through memory, as the JIT compiles BigMul on x64.
        ulong high = Bmi2.X64.IsSupported ? Bmi2.X64.MultiplyNoFlags(a, b) : Math.BigMul(a, b, out _);
        return high ^ (a * b);
    }
}

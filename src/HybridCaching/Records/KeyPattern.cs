using System.Runtime.CompilerServices;

namespace HybridCaching.Records;

/// <summary>What keys are looked for: all that begin alike, or all that a glob pattern describes.</summary>
/// <remarks>
/// Patterns are those of Redis: <c>*</c> any characters, <c>?</c> one, <c>[abc]</c>, <c>[a-z]</c> and <c>[^a]</c> one of a class, <c>\</c> takes the next character as it is; a class that does not
/// end goes on to the end of the pattern. A pattern with a single <c>*</c> and nothing else is matched as a beginning and an end; others by going back to the last <c>*</c>.
/// </remarks>
internal sealed class KeyPattern
{
    private const long QuickSteps = 64 << 10;

    private readonly string _pattern;
    private readonly string? _beginning;
    private readonly string _end = "";
    private readonly bool _isOpen;
    private readonly byte[]? _asciiBeginning;
    private readonly byte[]? _asciiEnd;

    private KeyPattern(string pattern, string? beginning, string end, bool isOpen)
    {
        (_pattern, _beginning, _end, _isOpen) = (pattern, beginning, end, isOpen);
        if (beginning is null || !System.Text.Ascii.IsValid(beginning) || !System.Text.Ascii.IsValid(end)) return;
        _asciiBeginning = System.Text.Encoding.ASCII.GetBytes(beginning);
        _asciiEnd = System.Text.Encoding.ASCII.GetBytes(end);
    }

    /// <summary>All keys that begin so.</summary>
    public static KeyPattern StartingWith(string prefix) => new("", prefix, "", isOpen: true);

    /// <summary>All keys that a glob pattern describes.</summary>
    public static KeyPattern Glob(string pattern)
    {
        int star = pattern.IndexOf('*');
        bool isSimple = pattern.AsSpan().IndexOfAny('?', '[', '\\') < 0 && (star < 0 || pattern.LastIndexOf('*') == star);
        if (!isSimple) return new(pattern, null, "", isOpen: false);
        return star < 0 ? new(pattern, pattern, "", isOpen: false) : new(pattern, pattern[..star], pattern[(star + 1)..], isOpen: true);
    }

    /// <summary>Whether it takes but a moment to say if a key is meant: going back again and again may take the product of both lengths.</summary>
    public bool IsQuick(ReadOnlySpan<byte> key) => _beginning is not null || (long)key.Length * _pattern.Length <= QuickSteps;

    /// <summary>Whether a key, encoded, is meant.</summary>
    public bool Matches(ReadOnlySpan<byte> key)
    {
        if (!KeyText.IsText(key)) return false;
        if (!KeyText.IsAscii(key)) return Matches(KeyText.Utf16Of(key));
        key = KeyText.AsciiOf(key);
        if (_beginning is null) return MatchesGlob(key);
        return _asciiBeginning is not null && MatchesEnds(key, _asciiBeginning, _asciiEnd);
    }

    /// <summary>Whether a key is meant.</summary>
    public bool Matches(ReadOnlySpan<char> key) => _beginning is null ? MatchesGlob(key) : MatchesEnds(key, _beginning, _end);

    private bool MatchesEnds<T>(ReadOnlySpan<T> key, ReadOnlySpan<T> beginning, ReadOnlySpan<T> end)
        where T : unmanaged, IEquatable<T> =>
        (_isOpen ? key.Length >= beginning.Length + end.Length : key.Length == beginning.Length) && key.StartsWith(beginning) && key.EndsWith(end);

    private bool MatchesGlob<T>(ReadOnlySpan<T> key)
        where T : unmanaged
    {
        int at = 0;
        int next = 0;
        int starNext = -1;
        int starAt = 0;
        while (at < key.Length)
        {
            if (next < _pattern.Length && _pattern[next] == '*')
            {
                starNext = ++next;
                starAt = at;
            }
            else if (next < _pattern.Length && MatchesOne(CharOf(key[at]), ref next))
            {
                at++;
            }
            else if (starNext >= 0)
            {
                next = starNext;
                at = ++starAt;
            }
            else
            {
                return false;
            }
        }

        return _pattern.AsSpan(next).IndexOfAnyExcept('*') < 0;
    }

    /// <summary>Whether the part of the pattern at <paramref name="next"/> means this character; goes on behind it if so.</summary>
    private bool MatchesOne(char c, ref int next)
    {
        switch (_pattern[next])
        {
            case '?':
                next++;
                return true;
            case '[':
                bool isMeant = MatchesClass(c, next + 1, out int end);
                if (isMeant) next = end;
                return isMeant;
            case '\\' when next + 1 < _pattern.Length:
                if (_pattern[next + 1] != c) return false;
                next += 2;
                return true;
            default:
                if (_pattern[next] != c) return false;
                next++;
                return true;
        }
    }

    private bool MatchesClass(char c, int next, out int end)
    {
        bool isNegated = next < _pattern.Length && _pattern[next] == '^';
        if (isNegated) next++;
        bool isIn = false;
        while (next < _pattern.Length && _pattern[next] != ']')
        {
            if (_pattern[next] == '\\' && next + 1 < _pattern.Length) next++;
            char low = _pattern[next++];
            char high = low;
            if (next + 1 < _pattern.Length && _pattern[next] == '-' && _pattern[next + 1] != ']')
            {
                high = _pattern[next + 1];
                next += 2;
            }

            isIn |= low <= high ? c >= low && c <= high : c >= high && c <= low;
        }

        end = Math.Min(next + 1, _pattern.Length);
        return isIn != isNegated;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static char CharOf<T>(T unit)
        where T : unmanaged => Unsafe.SizeOf<T>() == 1 ? (char)Unsafe.As<T, byte>(ref unit) : Unsafe.As<T, char>(ref unit);
}

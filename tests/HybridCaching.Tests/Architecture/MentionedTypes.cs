using System.Reflection;
using System.Reflection.Emit;

namespace HybridCaching.Tests.Architecture;

/// <summary>The types that a type names: in its declarations, and in the code of its methods.</summary>
internal static class MentionedTypes
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<short, OpCode> Instructions =
        typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static).Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value);

    public static IReadOnlySet<Type> By(Type type) => Flatten(Heritage(type).Concat(type.GetMembers(Declared).SelectMany(member => InSignature(member).Concat(InBody(member)))));

    /// <summary>What a user of a public type sees: base types and the signatures of public and protected members.</summary>
    public static IReadOnlySet<Type> InPublicSignatures(Type type) => Flatten(Heritage(type).Concat(type.GetMembers(Declared).Where(IsVisible).SelectMany(InSignature)));

    private static bool IsVisible(MemberInfo member) => member switch
    {
        FieldInfo field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly,
        MethodBase method => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly,
        _ => false,
    };

    private static IEnumerable<Type> Heritage(Type type) =>
        type.GetInterfaces().Concat(type.BaseType is { } parent ? [parent] : []).Concat(type.GetGenericArguments().SelectMany(Constraints));

    private static Type[] Constraints(Type parameter) => parameter.IsGenericParameter ? parameter.GetGenericParameterConstraints() : [];

    private static IEnumerable<Type> InSignature(MemberInfo member) => member switch
    {
        FieldInfo field => [field.FieldType],
        MethodInfo method => method.GetParameters().Select(parameter => parameter.ParameterType).Append(method.ReturnType)
            .Concat(method.GetGenericArguments()).Concat(method.GetGenericArguments().SelectMany(Constraints)),
        ConstructorInfo constructor => constructor.GetParameters().Select(parameter => parameter.ParameterType),
        _ => [],
    };

    private static IEnumerable<Type> InBody(MemberInfo member)
    {
        if (member is not MethodBase method || method.GetMethodBody() is not { } body) return [];
        return body.LocalVariables.Select(local => local.LocalType)
            .Concat(body.ExceptionHandlingClauses.Where(clause => clause.Flags == ExceptionHandlingClauseOptions.Clause).Select(clause => clause.CatchType!))
            .Concat(Operands(method, body.GetILAsByteArray()!).SelectMany(InOperand));
    }

    /// <remarks>
    /// Parameters of a called method are left out: the arguments come from somewhere that counts. So is the declaring type of a virtual method:
    /// the compiler calls an override through the type that declared it first, which the source need not name.
    /// </remarks>
    private static IEnumerable<Type> InOperand(MemberInfo operand)
    {
        if (operand is Type type) yield return type;
        if (operand is FieldInfo field) yield return field.FieldType;
        if (operand is MethodInfo method)
        {
            yield return method.ReturnType;
            foreach (var argument in method.GetGenericArguments()) yield return argument;
        }

        if (operand is { DeclaringType: { } declaring } and not MethodInfo { IsVirtual: true }) yield return declaring;
    }

    private static IEnumerable<MemberInfo> Operands(MethodBase method, byte[] il)
    {
        Type[]? typeArguments = method.DeclaringType?.GetGenericArguments();
        Type[]? methodArguments = method.IsGenericMethod ? method.GetGenericArguments() : null;
        for (int at = 0; at < il.Length;)
        {
            short value = il[at] == 0xFE ? BitConverter.ToInt16([il[at + 1], il[at]]) : il[at];
            var instruction = Instructions[value];
            at += instruction.Size;
            if (instruction.OperandType is OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType)
            {
                yield return method.Module.ResolveMember(BitConverter.ToInt32(il, at), typeArguments, methodArguments)!;
            }

            at += OperandSize(instruction.OperandType, il, at);
        }
    }

    private static int OperandSize(OperandType operand, byte[] il, int at) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(il, at),
        _ => 4,
    };

    private static HashSet<Type> Flatten(IEnumerable<Type> types)
    {
        var found = new HashSet<Type>();
        var open = new Stack<Type>(types);
        while (open.TryPop(out var type))
        {
            if (type.IsGenericParameter) continue;
            if (type.HasElementType)
            {
                open.Push(type.GetElementType()!);
            }
            else if (type.IsFunctionPointer)
            {
                open.Push(type.GetFunctionPointerReturnType());
                Array.ForEach(type.GetFunctionPointerParameterTypes(), open.Push);
            }
            else
            {
                found.Add(type.IsGenericType ? type.GetGenericTypeDefinition() : type);
                Array.ForEach(type.GenericTypeArguments, open.Push);
            }
        }

        return found;
    }
}
